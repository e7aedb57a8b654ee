#!/usr/bin/env python3
"""Prints the row of src/record/host/python_layout.cc that a compiler gives for installed CPython headers.

Usage: python_layout.py INCLUDE_FOLDER...   (for example /usr/include/python3.11; needs a C compiler)
The numbers are offsets of the fields that a stack walk reads; see python_layout.h.
"""
import pathlib
import subprocess
import sys
import tempfile

PROGRAM = r"""
#define Py_BUILD_CORE 1
#include <Python.h>
#include <frameobject.h>
#include <stddef.h>
#include <stdio.h>
#include "internal/pycore_pystate.h"
#if PY_VERSION_HEX >= 0x03090000
#include "internal/pycore_interp.h"
#include "internal/pycore_runtime.h"
#endif
#if PY_VERSION_HEX >= 0x030b0000
#include "internal/pycore_frame.h"
#endif
#define SHOW(name, type, field) printf(", ." name " = %d", (int)offsetof(type, field))
int main(void) {
  printf("{.minor = %d", PY_MINOR_VERSION);
  SHOW("interpreters_head", _PyRuntimeState, interpreters.head);
#if PY_VERSION_HEX >= 0x030b0000
  SHOW("threads_head", PyInterpreterState, threads.head);
  SHOW("native_id", PyThreadState, native_thread_id);
#else
  SHOW("threads_head", PyInterpreterState, tstate_head);
#endif
  SHOW("thread_next", PyThreadState, next);
  SHOW("thread_interpreter", PyThreadState, interp);
  SHOW("thread_id", PyThreadState, thread_id);
#if PY_VERSION_HEX >= 0x030d0000
  SHOW("thread_frame", PyThreadState, current_frame);
#elif PY_VERSION_HEX >= 0x030b0000
  SHOW("thread_frame", PyThreadState, cframe);
  SHOW("cframe_frame", _PyCFrame, current_frame);
#else
  SHOW("thread_frame", PyThreadState, frame);
#endif
#if PY_VERSION_HEX >= 0x030d0000
  SHOW("frame_code", _PyInterpreterFrame, f_executable);
#elif PY_VERSION_HEX >= 0x030b0000
  SHOW("frame_code", _PyInterpreterFrame, f_code);
#else
  SHOW("frame_code", PyFrameObject, f_code);
  SHOW("frame_previous", PyFrameObject, f_back);
#endif
#if PY_VERSION_HEX >= 0x030b0000
  SHOW("frame_previous", _PyInterpreterFrame, previous);
#endif
#if PY_VERSION_HEX >= 0x030c0000
  SHOW("frame_owner", _PyInterpreterFrame, owner);
#endif
  SHOW("code_file", PyCodeObject, co_filename);
  SHOW("code_name", PyCodeObject, co_name);
  SHOW("code_first_line", PyCodeObject, co_firstlineno);
  SHOW("text_length", PyASCIIObject, length);
  SHOW("text_state", PyASCIIObject, state);
  printf(", .text_ascii_bytes = %d, .text_compact_bytes = %d},\n", (int)sizeof(PyASCIIObject),
         (int)sizeof(PyCompactUnicodeObject));
}
"""


def main():
    if len(sys.argv) < 2:
        print(__doc__, file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        source, program = pathlib.Path(folder, "layout.c"), pathlib.Path(folder, "layout")
        source.write_text(PROGRAM, encoding="utf-8")
        for include in sys.argv[1:]:
            subprocess.run(["cc", "-w", f"-I{include}", f"-I{include}/internal", str(source), "-o", str(program)], check=True)
            subprocess.run([str(program)], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
