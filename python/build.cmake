# Build the package with setuptools. The program and the library do not depend on it: where it cannot be built, there is none,
# and a warning; its tests, where they are run, then fail.
execute_process(COMMAND ${python} -W ignore setup.py --quiet build --build-base ${temporary} --build-lib ${package}
                RESULT_VARIABLE failed)
if(failed)
  file(REMOVE_RECURSE ${package}/eigenmesh)
  message(WARNING "Left out: the Python package, which cannot be built, see above; -DEIGENMESH_PYTHON=OFF does not try")
else()
  file(TOUCH ${package}/eigenmesh/_core.abi3.so)
endif()
