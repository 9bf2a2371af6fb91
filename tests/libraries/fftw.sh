# Tests derivatives of Fourier transforms by FFTW, as a shared and as a static library.
# ctest sets VERSO and SOURCE; by hand: VERSO=build/verso SOURCE=. bash tests/libraries/fftw.sh
set -euo pipefail

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
if ! [[ -f /usr/include/fftw3.h ]]; then
    echo "skipped: FFTW is not installed (libfftw3-dev)"
    exit 77
fi
libraries=/usr/lib/$(gcc -print-multiarch)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

"$VERSO" cc -std=gnu17 -O2 -Wall -Wextra -Werror "-I$SOURCE/include" -c "$SOURCE/tests/libraries/transforms.c" -o "$work/transforms.o"
"$VERSO" cc "$work/transforms.o" -o "$work/shared" -lfftw3 -lfftw3f -lm
"$work/shared" 2000 "$(date +%s)"
"$VERSO" cc "$work/transforms.o" -o "$work/static" "$libraries/libfftw3.a" "$libraries/libfftw3f.a" -lm
"$work/static" 500 "$(date +%s)"
