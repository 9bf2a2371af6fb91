! SUM of 10^6 numbers, through a descriptor.
function f(x, n) result(s) bind(c)
  use iso_c_binding
  integer(c_size_t), value :: n
  real(c_double), intent(in) :: x(n)
  real(c_double) :: s
  interface
    function total(a)
      real(8), intent(in) :: a(:)
      real(8) :: total
    end function
  end interface
  s = total(x)
end function
function total(a)
  real(8), intent(in) :: a(:)
  real(8) :: total
  !verso$ noinline total
  total = sum(a)
end function
