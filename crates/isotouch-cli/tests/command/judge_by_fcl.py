"""Whether two meshes collide at poses, by FCL: MOVING FIXED OX OY OZ, then a pose x y z qx qy qz qw per line of the input.

Prints 1 (they collide) or 0 for every pose."""

import sys

import fcl
import numpy as np


def model(path, origin):
    vertices, triangles = [], []
    with open(path) as lines:
        for line in lines:
            words = line.split()
            if words[:1] == ["v"]:
                vertices.append([float(word) for word in words[1:4]])
            elif words[:1] == ["f"]:
                corners = [int(word.split("/")[0]) - 1 for word in words[1:]]
                triangles += [[corners[0], corners[k], corners[k + 1]] for k in range(1, len(corners) - 1)]
    mesh = fcl.BVHModel()
    mesh.beginModel(len(vertices), len(triangles))
    mesh.addSubModel(np.array(vertices) - origin, np.array(triangles))
    mesh.endModel()
    return mesh


moving = model(sys.argv[1], np.array([float(word) for word in sys.argv[3:6]]))
fixed = fcl.CollisionObject(model(sys.argv[2], np.zeros(3)))
for line in sys.stdin:
    x, y, z, qx, qy, qz, qw = (float(word) for word in line.replace(",", " ").split())
    placed = fcl.CollisionObject(moving, fcl.Transform(np.array([qw, qx, qy, qz]), np.array([x, y, z])))
    print(fcl.collide(placed, fixed, fcl.CollisionRequest(), fcl.CollisionResult()))
