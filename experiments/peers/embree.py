"""First hits of segments with a triangle mesh by Embree (package embreex), one thread, timed on request.

usage: python3 embree.py ENVIRONMENT FOLDER

Installs embreex into the virtual environment ENVIRONMENT where it is not there yet. Reads vertices.npy, triangles.npy, from.npy and
to.npy in FOLDER, says that it is ready, and then runs a round for each line on standard input. At its end it writes
times.npy, NaN where there is no hit.
"""

import os
import time

from serving import answer_rounds, main


def serve(folder):
    import embreex
    import numpy
    from embreex.mesh_construction import TriangleMesh
    from embreex.rtcore_scene import EmbreeScene

    def array(name, kind):
        return numpy.ascontiguousarray(numpy.load(os.path.join(folder, name)), dtype=kind)

    start, end = array("from.npy", numpy.float64), array("to.npy", numpy.float64)
    origins = start.astype(numpy.float32)
    # As long as the segment, so that times are those of the segment and 1 is its end.
    directions = (end - start).astype(numpy.float32)
    scene = EmbreeScene()
    mesh = TriangleMesh(scene, array("vertices.npy", numpy.float32), array("triangles.npy", numpy.int32))

    def query(kind):
        # The wrapper writes hit times over the limits it is given.
        limits = numpy.ones(len(origins), numpy.float32)
        began = time.perf_counter()
        answer = scene.run(origins, directions, dists=limits, query=kind)
        return time.perf_counter() - began, answer

    # The first query builds the tree; and tells which rays hit at all.
    _, triangle = query("INTERSECT")

    def save_times():
        _, times = query("DISTANCE")
        times = numpy.where(triangle < 0, numpy.nan, times.astype(numpy.float64))
        numpy.save(os.path.join(folder, "times.npy"), times)

    answer_rounds(embreex.__version__, lambda: {"seconds": query("DISTANCE")[0]}, save_times)


if __name__ == "__main__":
    main(__file__, ["numpy", "embreex"], serve)
