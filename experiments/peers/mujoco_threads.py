"""MuJoCo's own nut and bolt, as distance fields of its SDF plugin (package mujoco): time of a step and penetration.

usage: python3 mujoco_threads.py ENVIRONMENT FOLDER

Installs mujoco into the virtual environment ENVIRONMENT where it is not there yet, says that it is ready, and for each line on standard input runs a round: the nut falls
onto the bolt and lies there, three simulated seconds in steps of 1/240 s; steps without contact do not count. FOLDER is not used.
"""

import os
import time

from serving import answer_rounds, main

MODEL = """
<mujoco>
  <extension>
    <plugin plugin="mujoco.sdf.bolt"><instance name="bolt"><config key="radius" value="0.255"/></instance></plugin>
    <plugin plugin="mujoco.sdf.nut"><instance name="nut"><config key="radius" value="0.26"/></instance></plugin>
  </extension>
  <asset>
    <mesh name="bolt"><plugin instance="bolt"/></mesh>
    <mesh name="nut"><plugin instance="nut"/></mesh>
  </asset>
  <option sdf_iterations="10" sdf_initpoints="20" timestep="0.00416666666666667"/>
  <default><geom solref="0.01 1" solimp=".95 .99 .0001" friction="0.01"/></default>
  <worldbody>
    <body name="nut" pos="0 0 0.8"><joint type="free"/><geom type="sdf" mesh="nut"><plugin instance="nut"/></geom></body>
    <body name="bolt"><geom type="sdf" mesh="bolt"><plugin instance="bolt"/></geom></body>
  </worldbody>
</mujoco>
"""


def serve(_folder):
    import mujoco

    plugins = os.path.join(os.path.dirname(mujoco.__file__), "plugin")
    library = next(name for name in os.listdir(plugins) if "sdf" in name)
    try:
        mujoco.mj_loadPluginLibrary(os.path.join(plugins, library))
    except Exception:
        pass  # It is loaded already where the package does so by itself.
    model = mujoco.MjModel.from_xml_string(MODEL)

    def round_():
        data = mujoco.MjData(model)
        deepest, touching, seconds, steps = 0.0, 0, 0.0, 0
        for _ in range(720):
            began = time.perf_counter()
            mujoco.mj_step(model, data)
            took = time.perf_counter() - began
            if data.ncon:
                seconds += took
                steps += 1
            touching += data.ncon
            deepest = max([deepest, *(-contact.dist for contact in data.contact)])
        return {"ms": 1e3 * seconds / steps, "deepest": deepest, "contacts": touching / steps}

    answer_rounds(mujoco.__version__, round_, lambda: None)


if __name__ == "__main__":
    main(__file__, ["mujoco"], serve)
