! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Internal procedures as actual arguments, which use variables of the procedure around them; within recursion.
module internal_arguments_test
  abstract interface
    function scalar(v)
      real(8), intent(in) :: v
      real(8) :: scalar
    end function
  end interface
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: weight
    integer :: calls
    calls = 0
    weight = x(1)
    s = simpson(integrand, x(2), x(3), 10) + nested(x(4), 3)
    weight = x(5) * 2
    call each(x, collect)
    s = s + simpson(integrand, 0d0, x(6), 6) + calls
  contains
    function integrand(v) result(r)
      real(8), intent(in) :: v
      real(8) :: r
      r = exp(weight * v) * v
      calls = calls + 1
    end function
    subroutine collect(v)
      real(8), intent(in) :: v
      s = s + v ** 2 * weight
    end subroutine
  end function
  subroutine each(x, act)
    real(8), intent(in) :: x(:)
    interface
      subroutine act(v)
        real(8), intent(in) :: v
      end subroutine
    end interface
    integer :: i
    do i = 1, size(x)
      call act(x(i))
    end do
  end subroutine
  function simpson(g, a, b, n) result(r)
    procedure(scalar) :: g
    real(8), intent(in) :: a, b
    integer, intent(in) :: n
    real(8) :: r, h
    integer :: i
    h = (b - a) / n
    r = g(a) + g(b)
    do i = 1, n - 1
      r = r + merge(4, 2, mod(i, 2) == 1) * g(a + i * h)
    end do
    r = r * h / 3
  end function
  recursive function nested(v, depth) result(r)
    real(8), intent(in) :: v
    integer, intent(in) :: depth
    real(8) :: r, mine
    mine = v * depth
    r = simpson(scaled, 0d0, v, 4)
    if (depth > 0) r = r + nested(v ** 2, depth - 1) + simpson(scaled, v, 1d0, 2)
  contains
    function scaled(t) result(q)
      real(8), intent(in) :: t
      real(8) :: q
      q = sin(t * mine) + mine ** 2
    end function
  end function
end module
