# Tests `verso grad` and `verso check` on Fortran: which arguments take which values, how elements are named, what is
# refused, module files, and durable runs. Expected derivatives are found by calculus.
# shellcheck source=tests/cli/grad.bash
source "${SOURCE:?the folder of the source}/tests/cli/grad.bash"
if ! command -v flang-new-19 >/dev/null && [[ -z ${VERSO_FLANG:-} ]]; then
    echo "skipped: flang 19 is not installed (packages flang-19 and libflang-19-dev)"
    exit 77
fi

cat >sea.f90 <<'END'
module sea
  implicit none
  real(8) :: scale = 2
  private :: hidden
contains
  function cost(u, n, dt) result(s)
    integer, intent(in) :: n
    real(8), intent(in) :: u(n), dt
    real(8) :: s
    s = sum(u ** 2) * dt + hidden(u(1))
  end function
  subroutine step(nx, ny, h, v, total, mask, name, extra)
    integer, intent(in) :: nx, ny
    real(8), intent(inout) :: h(nx, 0:ny)
    real(8), intent(in) :: v(:, :)
    real(8), intent(out) :: total
    logical, intent(in) :: mask(nx)
    character(*), intent(in) :: name
    real(8), intent(in), optional :: extra
    integer :: j
    total = 0
    do j = 0, ny
      total = total + sum(h(:, j) ** 2, mask) * len(name)
    end do
    total = total + scale * v(2, 1) * v(1, 2)
    if (present(extra)) total = total + extra ** 3
  end subroutine
  real function single(x)
    real, value :: x
    single = x * x
  end function
  function hidden(x) result(y)
    real(8), intent(in) :: x
    real(8) :: y
    y = x
  end function
  subroutine double_it(x, y)
    real(8), intent(in) :: x(:)
    real(8), intent(out) :: y(size(x))
    y = 2 * x
  end subroutine
  subroutine typed(c, x)
    complex, intent(in) :: c
    real(8), intent(inout) :: x
    x = x * real(c)
  end subroutine
end module
subroutine typed(x, y)
  real(8) :: x, y
  y = x ** 3
end subroutine
program main
  stop 7
end program
END
printf '      double precision function f77(m, x)\n      integer m\n      double precision x(2, m)\n      f77 = x(1, 1) * x(2, m)\n      end\n' >old.f
printf 'real(8) function uses(x) result(r) bind(c, name="another")\n  use sea, only: scale\n  real(8), intent(in) :: x(:)\n  r = scale * product(x)\nend function\n' >uses.F90

expect 0 grad sea.f90:cost --at 3,4,0.5 --json
prints '"value": 15.5, "gradient": {"u": [4, 4], "dt": [25]}'
expect 0 grad sea.f90:SEA::Cost --at U=3d0,4 --set DT=5D-1
prints 'sea::cost(u(2), n = 2, dt) in sea.f90'
prints 'u(1)          4'
expect 0 grad sea.f90:step --set nx=2 --at h=1,2,3,4 --at 'v(2,2)=1,2,3,4' --set mask=1,0 --set name=abc --set ny=1
prints 'h(1,0)        6'
prints 'h(1,1)        18'
prints 'h(2,1)        0'
prints 'v(2,1)        6'
prints 'v(1,2)        4'
prints 'total'
[[ $out != *extra* ]] || fail "an optional argument without a value is shown: $out"
expect 0 check sea.f90:step --set nx=2 --at h=1,2,3,4 --at 'v(2,2)=1,2,3,4' --set mask=1,0 --set name=abc --set ny=1 --at extra=2
prints PASS
expect 0 grad sea.f90:single --at 3 --json
prints '"value": 9, "gradient": [6]'
expect 0 grad sea.f90:double_it --at x=1,2 --of y --weights 1,3 --json
prints '"gradient": [2, 6]'
expect 0 grad sea.f90:double_it --at 1,2,3 --json
prints '"value": 12, "gradient": [2, 2, 2]'
expect 0 grad old.f:f77 --at 2,3,4,5 --json
prints '"value": 10, "gradient": [5, 0, 0, 2]'
expect 0 grad sea.f90,uses.F90:uses --at 3,5,7 --json
prints '"value": 210, "gradient": [70, 42, 30]'

expect 2 grad sea.f90:cst --at 1
says "there is no procedure 'cst' in 'sea.f90'; did you mean 'cost'?"
expect 1 grad sea.f90:hidden --at 1
says "'hidden' is private to its module"
expect 2 grad sea.f90:typed --at 1
says "'typed' is ambiguous"
expect 1 grad sea.f90:sea::typed --at 1
says "'c' is 'complex(4), intent(in)', which has no value on the command line"
expect 2 grad sea.f90:step --set nx=2 --set ny=1 --at h=1,2,3,4 --at v=1,2,3,4 --set mask=1,0 --set name=abc
says "the shape of 'v' ('real(8), intent(in), dimension(:,:)') is unknown; give it with the numbers: --at 'v(3,4)=...'"
expect 2 grad sea.f90:step --set nx=2 --set ny=2 --at h=1,2,3,4 --at 'v(2,2)=1,2,3,4' --set mask=1,0 --set name=abc
says "'h' is declared with 6 numbers, but 4 are given"
expect 2 grad sea.f90:step --set nx=2 --at 'h(2,2)=1,2,3,4'
says "--at h: it is 'real(8), dimension(nx,0:ny)', for which these sizes are not right"
echo 'subroutine broken(x' >broken.f90
expect 1 grad broken.f90:broken --at 1
says "'broken.f90' cannot be compiled"

# A durable run is continued without flang, and refused if the source has changed.
expect 0 grad sea.f90:cost --at 3,4,0.5 --run kept --json
VERSO_FLANG=/nowhere expect 0 grad sea.f90:cost --at 3,4,0.5 --run kept --json
prints '"value": 15.5, "gradient": {"u": [4, 4], "dt": [25]}'
sed -i 's/u \*\* 2/u ** 3/' sea.f90
expect 1 grad sea.f90:cost --at 3,4,0.5 --run kept --json
says 'another build of the program began it'

((failures == 0)) || exit 1
echo "grad_fortran.sh: passed"
