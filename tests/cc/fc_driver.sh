# `verso fc`: compiles what flang compiles, in all forms of sources, on the command line, with make, CMake and a configure
# script; links with C and C++; says what is missing. ctest sets VERSO and SOURCE.
if [[ -n ${VERSO_SANITIZE:-} ]]; then
    echo "skipped: the programs are linked with the uninstrumented library"
    exit 77
fi
if ! command -v flang-new-19 >/dev/null; then
    echo "skipped: flang 19 is not installed (packages flang-19 and libflang-19-dev)"
    exit 77
fi
source "$SOURCE/tests/cc/driver/harness.bash"

# ---- Suffixes, forms, the preprocessor, modules ----

for suffix in f for ftn F FOR; do
    [[ $suffix == ftn ]] && continue
    {
        echo "c     fixed form; a continuation in column 6"
        echo "      subroutine fixed_$suffix(x)"
        echo "      real*8 x"
        echo "      x = 2 *"
        echo "     &  x"
        echo "      end"
    } >"form_$suffix.$suffix"
done
for suffix in f90 f95 f03 f08 F90 F95 F03 F08; do
    printf '%s\n' "subroutine free_$suffix(x) ! free form" "  real(8) :: x" "  x = 2 * &" "    x" "end subroutine" \
        >"form_$suffix.$suffix"
done
run 0 "$verso" fc -O1 -c form_*.*
for file in form_*.o; do
    nm "$file" | grep -q " T f" || fail "$file defines no procedure"
done
printf '#ifdef TWICE\n#define K 2\n#else\n#define K 1\n#endif\nprogram p\n  print *, K\nend program\n' >macro.F90
run 0 "$verso" fc -DTWICE macro.F90 -o macro
[[ $(./macro) == *2 ]] || fail "the preprocessor"
cp macro.F90 macro2.f90
run 0 "$verso" fc -cpp macro2.f90 -o macro
[[ $(./macro) == *1 ]] || fail "-cpp"
printf 'module shapes\n  real :: side = 3\nend module\n' >shapes.f90
printf 'program p\n  use shapes\n  real :: x\n  print *, kind(x), side\nend program\n' >use.f90
mkdir -p mods other
run 0 "$verso" fc -J mods -c shapes.f90 -o other/shapes.o
[[ -f mods/shapes.mod ]] || fail "-J"
run 1 "$verso" fc -c use.f90
run 0 "$verso" fc -Imods -fdefault-real-8 use.f90 other/shapes.o -o use
[[ $(./use) == *8*3.* ]] || fail "-I, -fdefault-real-8: $(./use)"
run 0 "$verso" fc -module-dir mods -c shapes.f90
run 0 "$verso" fc --version
grep -q -i flang "$scratch/out" || fail "--version"
printf 'program p\n  x = = 1\nend program\n' >wrong.f90
run 1 "$verso" fc wrong.f90 -o wrong
says "wrong.f90:2"
run 1 "$verso" fc -c use.f90 shapes.f90 -o both.o

# ---- With C and C++ ----

printf 'subroutine triple(x) bind(c)\n  use iso_c_binding\n  real(c_double) :: x\n  x = 3 * x\nend subroutine\n' >triple.f90
printf '#include <stdio.h>\nvoid triple(double *);\nint main(void) { double x = 2; triple(&x); printf("%%g\\n", x); }\n' >main.c
printf '#include <cstdio>\nextern "C" void triple(double *);\nint main() { double x = 2; triple(&x); std::printf("%%g\\n", x); }\n' >plus.cpp
run 0 "$verso" cc -O2 -Wall -std=c17 main.c triple.f90 -o mixed
[[ $(./mixed) == 6 ]] || fail "cc main.c triple.f90"
run 0 "$verso" fc -O2 main.c triple.f90 -o mixed
[[ $(./mixed) == 6 ]] || fail "fc main.c triple.f90"
run 0 "$verso" cc -c main.c triple.f90
run 0 "$verso" c++ plus.cpp triple.o -o mixed
[[ $(./mixed) == 6 ]] || fail "c++ plus.cpp triple.o"
run 0 "$verso" cc -c use.f90 -Imods
run 0 "$verso" cc use.o shapes.o -o use # finds by itself that flang's library is needed
[[ $(./use) == *4*3.* ]] || fail "cc use.o: $(./use)"

# ---- A gradient, in each level, with directives ----

cat >model.f90 <<'F'
module model
contains
  function f(x, n) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: f
    !verso$ checkpoint square, model::cube
    !verso$ adjoint power = power_adjoint
    f = square(x(1)) + cube(x(2)) + power(x(1))
  end function
  function square(x)
    real(8), intent(in) :: x
    real(8) :: square
    square = x * x
  end function
  function cube(x)
    real(8), intent(in) :: x
    real(8) :: cube
    cube = x ** 3
  end function
  function power(x)
    real(8), intent(in) :: x
    real(8) :: power
    power = x ** 4
  end function
  subroutine power_adjoint(call, x)
    use iso_c_binding
    type, bind(c) :: derivatives
      type(c_ptr) :: kept
      integer(c_size_t) :: kept_bytes
      type(c_ptr) :: result, argument
    end type
    type(derivatives) :: call
    real(8), intent(in) :: x
    real(8), pointer :: seed
    interface
      subroutine add(at, kind, n, terms) bind(c, name="verso_adjoint_add")
        use iso_c_binding
        real(c_double) :: at
        integer(c_int), value :: kind
        integer(c_size_t), value :: n
        real(c_double) :: terms
      end subroutine
    end interface
    call c_f_pointer(call%result, seed)
    call add(x, 0, 1_c_size_t, 1000 * seed)
  end subroutine
end module
F
cat >grad.c <<'C'
#include <stdio.h>
#include <verso/native.h>
double f(const double *x, size_t n);
int main(void) {
    double x[] = {3, 2}, g[2];
    verso_error error;
    if (verso_gradient(f, x, 2, g, NULL, NULL, &error) != VERSO_STATUS_OK)
        return puts(error.message), 1;
    printf("%g %g\n", g[0], g[1]);
}
C
for level in -O0 -O1 -O2 -O3 "-O2 -g"; do
    run 0 "$VERSO" fc $level -c model.f90
    run 0 "$VERSO" cc -O1 -c grad.c
    run 0 "$VERSO" fc $level grad.o model.o -o grad
    [[ $(./grad) == "1006 12" ]] || fail "gradient with $level: $(./grad)"
done
sed 's/checkpoint square/checkpoint no_such/' model.f90 >unknown.f90
run 1 "$VERSO" fc -c unknown.f90
says "unknown.f90:8: this file neither has nor calls a procedure 'no_such'"
sed 's/!verso\$ checkpoint/!verso$ chekpoint/' model.f90 >misspelt.f90
run 1 "$VERSO" fc -c misspelt.f90
says "misspelt.f90:8: this is no directive"

# ---- Names in messages ----

printf 'module sea\ncontains\n  function f(x, n) bind(c)\n    use iso_c_binding\n    integer(c_size_t), value :: n\n    real(c_double) :: x(n), f\n    f = lagged(x(1))\n  end function\n  function lagged(x)\n    real(8) :: x, lagged\n    interface\n      function elsewhere(x)\n        real(8) :: x, elsewhere\n      end function\n    end interface\n    !verso$ noinline lagged\n    lagged = elsewhere(x)\n  end function\nend module\n' >sea.f90
printf 'double elsewhere_(double *x) { return *x; }\n' >elsewhere.c
clang-19 -c elsewhere.c
run 1 "$VERSO" fc -O2 sea.f90 grad.o elsewhere.o -o sea
says "sea.f90:17: error: sea::lagged calls elsewhere_"

# ---- Without flang, and without its library ----

VERSO_FLANG=no-such-flang run 1 "$verso" fc -c triple.f90
says "cannot run 'no-such-flang', which VERSO_FLANG names"
mkdir -p bare/bin lone
for tool in clang-19 ld bash; do
    ln -s "$(command -v $tool)" bare/bin/
done
ln -s "$(readlink -f "$(command -v flang-new-19)")" lone/flang
[[ -e /usr/lib/llvm-19/bin/flang-new ]] || PATH=$PWD/bare/bin run 1 "$verso" fc -c triple.f90

# ---- make, CMake, autotools ----

printf 'use: shapes.o use.o\n\t$(FC) $(FFLAGS) $^ -o $@\nuse.o: shapes.o\n%%.o: %%.f90\n\t$(FC) $(FFLAGS) -c $<\n' >Makefile
rm -f ./*.o use
run 0 make FC="$verso fc" FFLAGS=-O1
[[ $(./use) == *4*3.* ]] || fail "make"
mkdir project
cp shapes.f90 use.f90 project/
printf 'cmake_minimum_required(VERSION 3.20)\nproject(p Fortran C)\nadd_library(shapes shapes.f90)\nadd_executable(use use.f90)\ntarget_link_libraries(use shapes)\n' >project/CMakeLists.txt
printf '#!/bin/sh\nexec "%s" fc "$@"\n' "$verso" >fc
printf '#!/bin/sh\nexec "%s" cc "$@"\n' "$verso" >cc
chmod +x fc cc
FC=$PWD/fc CC=$PWD/cc run 0 cmake -G Ninja -S project -B project/build
run 0 cmake --build project/build
[[ $(project/build/use) == *4*3.* ]] || fail "CMake"
grep -q LLVMFlang project/build/CMakeCache.txt project/build/CMakeFiles/*/CMakeFortranCompiler.cmake || fail "CMake takes it for another compiler"
