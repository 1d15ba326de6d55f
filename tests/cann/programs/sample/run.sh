#!/bin/bash
# A sample's script as the vendor's are: find CANN, set its variables, build without rpath, run.
_ASCEND_INSTALL_PATH=${ASCEND_INSTALL_PATH:-${ASCEND_HOME_PATH:-/usr/local/Ascend/ascend-toolkit/latest}}
source $_ASCEND_INSTALL_PATH/bin/setenv.bash
set -e
export DDK_PATH=$ASCEND_TOOLKIT_HOME
export NPU_HOST_LIB=$DDK_PATH/$LIBRARIES
cd "$1"
cmake "$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)" -DCMAKE_CXX_COMPILER=g++ -DCMAKE_SKIP_RPATH=TRUE
make
./main
