"""A program that replaces itself by itself (exec), as some launchers and reloaders do."""
import os
import sys
import time


def before():
    time.sleep(0.3)


def after():
    time.sleep(0.3)


if len(sys.argv) < 2:
    before()
    os.execv(sys.executable, [sys.executable, __file__, "again"])
after()
