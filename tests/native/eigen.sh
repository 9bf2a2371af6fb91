# Tests programs that use Eigen 3.4 unchanged and without any of its macros, see tests/eigen; tests/native/native.sh
# checks them. Because they take long to compile, only a few are tested here; tests/long/eigen tests all, at -O2 and
# at -O3 -march=native.
# ctest sets VERSO and SOURCE; by hand: VERSO=build/verso SOURCE=. bash tests/native/eigen.sh [NAME...]
set -euo pipefail

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
if ! [[ -f /usr/include/eigen3/Eigen/Dense ]]; then
    echo "skipped: Eigen is not installed (libeigen3-dev)"
    exit 77
fi
export PROGRAMS=eigen FLAGS="-isystem /usr/include/eigen3" LIMIT=300
if (($# > 0)); then
    exec bash "$SOURCE/tests/native/native.sh" "$@"
fi
bash "$SOURCE/tests/native/native.sh" kalman.cpp
LEVEL="-O3 -march=native" bash "$SOURCE/tests/native/native.sh" levenberg.cpp
