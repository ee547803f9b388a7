"""A square sheet that falls on a ball, by PositionBasedDynamics (package pyPBD): seconds of a substep.

usage: python3 pypbd_cloth.py ENVIRONMENT FOLDER

Installs pyPBD into the virtual environment ENVIRONMENT where it is not there yet. Reads scene.npy in FOLDER: squares along a side, the sheet's size, the ball's
radius, how far the sheet begins above its centre, steps, seconds of a step, substeps. Says that it is ready, and then runs the whole scene for each line on standard input.
"""

import os
import time

from serving import answer_rounds, main


def serve(folder):
    import numpy
    import pypbd as pbd

    pbd.Logger.addConsoleSink(pbd.LogLevel.WARN)
    squares, size, radius, height, steps, dt, substeps = numpy.load(os.path.join(folder, "scene.npy"))
    points = int(squares) + 1

    def scene():
        simulation = pbd.Simulation.getCurrent()
        simulation.initDefault()
        model = simulation.getModel()
        # Made in x and y from the corner; lies flat after a quarter turn about x.
        flat = numpy.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]])
        corner = numpy.array([-0.5 * size, height, 0.5 * size])
        sheet = model.addRegularTriangleModel(points, points, corner, flat, numpy.array([size, size]), False)
        # XPBD: springs along edges, isometric bending.
        model.addClothConstraints(sheet, 4, 2000.0, 2000.0, 2000.0, 100.0, 0.3, 0.3, False, False)
        model.addBendingConstraints(sheet, 3, 1e-5)
        # Cloth of 0.15 kg/m²; by itself every particle is 1 kg, and falls past the ball on rubber.
        for i in range(points * points):
            model.getParticles().setMass(i, 0.15 * size * size / (points * points))
        vertices, mesh = pbd.OBJLoader.loadObjToMesh(os.path.join(folder, "ball.obj"), numpy.ones(3))
        body = model.addRigidBody(1.0, vertices, mesh, numpy.zeros(3), numpy.eye(3), numpy.ones(3), testMesh=False)
        body.setMass(0.0)
        detection = pbd.DistanceFieldCollisionDetection()
        detection.setTolerance(0.005)
        simulation.getTimeStep().setCollisionDetection(model, detection)
        number = len(model.getRigidBodies()) - 1
        kinds = pbd.CollisionObject
        of_ball = body.getGeometry().getVertexDataLocal()
        detection.addCollisionSphere(
            number, kinds.RigidBodyCollisionObjectType, of_ball, 0, of_ball.size(), radius, True, False
        )
        detection.addCollisionObjectWithoutGeometry(
            0, kinds.TriangleModelCollisionObjectType, model.getParticles(), 0, points * points, True
        )
        controller = simulation.getTimeStep()
        controller.setValueUInt(pbd.TimeStepController.NUM_SUB_STEPS, int(substeps))
        controller.setValueUInt(pbd.TimeStepController.MAX_ITERATIONS, 1)
        pbd.TimeManager.getCurrent().setTimeStepSize(dt)
        # All of them have to stay: pyPBD keeps pointers.
        return simulation, model, (detection, sheet, vertices, mesh, body)

    simulation, model, kept = scene()

    def round_():
        simulation.reset()
        began = time.perf_counter()
        for _ in range(int(steps)):
            simulation.getTimeStep().step(model)
        seconds = (time.perf_counter() - began) / (steps * substeps)
        particles = model.getParticles()
        places = numpy.array([particles.getPosition(i) for i in range(points * points)])
        nearest = float(numpy.linalg.norm(places, axis=1).min() - radius)
        return {"seconds": seconds, "nearest": nearest, "lowest": float(places[:, 1].min())}

    from importlib.metadata import version

    answer_rounds(version("pyPBD"), round_, lambda: None)


if __name__ == "__main__":
    main(__file__, ["numpy", "pyPBD"], serve)
