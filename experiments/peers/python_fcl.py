"""Whether two meshes collide at poses by FCL (package python-fcl), each pose timed, on request.

usage: python3 python_fcl.py ENVIRONMENT FOLDER

Installs python-fcl into the virtual environment ENVIRONMENT where it is not there yet. Reads NAME_vertices.npy and NAME_triangles.npy for
moving and fixed, and the poses in positions.npy, vectors.npy and scalars.npy (the x, y, z and the w of quaternions) in FOLDER, says that it is ready, and then
runs a round for each line on standard input. At its end it writes times.npy, the fastest seconds of each pose, and collides.npy.
"""

import os
import time

from serving import answer_rounds, main


def serve(folder):
    import fcl
    import numpy

    def array(name, kind=numpy.float64):
        return numpy.ascontiguousarray(numpy.load(os.path.join(folder, name)), dtype=kind)

    def model(name):
        vertices, triangles = array(f"{name}_vertices.npy"), array(f"{name}_triangles.npy", numpy.int64)
        mesh = fcl.BVHModel()
        mesh.beginModel(len(vertices), len(triangles))
        mesh.addSubModel(vertices, triangles)
        mesh.endModel()
        return mesh

    moving, fixed = model("moving"), fcl.CollisionObject(model("fixed"))
    positions, vectors, scalars = array("positions.npy"), array("vectors.npy"), array("scalars.npy")
    # w first, as FCL wants it.
    places = [fcl.Transform(numpy.array([w, *v]), p) for p, v, w in zip(positions, vectors, scalars)]
    placed = [fcl.CollisionObject(moving, place) for place in places]
    # What a call costs that finds nothing to do: two triangles far apart.
    corners, one = numpy.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0]]), numpy.array([[0, 1, 2]])
    single = fcl.BVHModel()
    single.beginModel(3, 1)
    single.addSubModel(corners, one)
    single.endModel()
    near, far = fcl.CollisionObject(single), fcl.CollisionObject(single, fcl.Transform(numpy.array([1e6, 0.0, 0.0])))
    request = fcl.CollisionRequest()
    fastest = numpy.full(len(placed), numpy.inf)
    collides = numpy.zeros(len(placed))

    def timed(one, other):
        result = fcl.CollisionResult()
        began = time.perf_counter()
        found = fcl.collide(one, other, request, result)
        return time.perf_counter() - began, found

    def round_():
        overhead = min(timed(near, far)[0] for _ in range(200))
        for k, part in enumerate(placed):
            seconds, found = timed(part, fixed)
            fastest[k] = min(fastest[k], seconds)
            collides[k] = found > 0
        return {"overhead": overhead}

    def end():
        numpy.save(os.path.join(folder, "times.npy"), fastest)
        numpy.save(os.path.join(folder, "collides.npy"), collides)

    answer_rounds(getattr(fcl, "__version__", "of unknown version"), round_, end)


if __name__ == "__main__":
    main(__file__, ["numpy", "python-fcl"], serve)
