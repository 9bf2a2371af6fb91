! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Internal procedures with host association, recursion, optional and keyword arguments.
module internal_procedures_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: total
    total = 0
    call add(x(1))
    call add(x(2), weight=x(3))
    call add(value=x(4), weight=2d0)
    s = total + factorial(x(5), 5) + polynomial([x(1), x(2), x(3)], 0.5d0)
  contains
    subroutine add(value, weight)
      real(8), intent(in) :: value
      real(8), optional, intent(in) :: weight
      if (present(weight)) then
        total = total + value * weight
      else
        total = total + value ** 2
      end if
    end subroutine
    recursive function factorial(v, k) result(r)
      real(8), intent(in) :: v
      integer, intent(in) :: k
      real(8) :: r
      r = 1
      if (k > 0) r = v * k * factorial(v + x(6), k - 1)
    end function
    pure function polynomial(c, t) result(r)
      real(8), intent(in) :: c(:), t
      real(8) :: r
      integer :: i
      r = 0
      do i = size(c), 1, -1
        r = r * t + c(i)
      end do
    end function
  end function
end module
