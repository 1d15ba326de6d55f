"""Run programs in forks of one process that has imported torch_npu, as a program.

``ascendref npu forked.py PROGRAM...`` prints the number, the name and the exit status of each; what
each prints is in files of the current folder, ``NUMBER.out`` and ``NUMBER.err``.
"""

import gc
import os
import runpy
import sys

import torch_npu  # noqa: F401

gc.freeze()  # the end of a fork does not collect what the imports left
for number, program in enumerate(sys.argv[1:]):
    print(number, program, end=" ", flush=True)
    child = os.fork()
    if not child:
        for stream, kind in ((1, "out"), (2, "err")):
            os.dup2(os.open(f"{number}.{kind}", os.O_CREAT | os.O_WRONLY), stream)
        sys.argv[:], sys.path[0] = [program], os.path.dirname(program)
        runpy.run_path(program, run_name="__main__")
        break  # to the process's end, as without a fork
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
