# Runs the tests of the Python package (python/verso) with Debian's Python. ctest sets VERSO, SOURCE and CC.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: a library with sanitizers cannot be loaded"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
python=/usr/bin/python3
"$python" -c 'import numpy, pytest' 2>/dev/null || { echo "python.sh: python3-numpy or python3-pytest is missing" && exit 77; }
export VERSO PYTHONPATH=$SOURCE/python PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1
exec "$python" -m pytest -q -p no:cacheprovider "$SOURCE/tests/python" "$@"
