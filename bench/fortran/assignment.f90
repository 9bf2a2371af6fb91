! Assignment of allocatable arrays of 10^6 numbers.
function f(x, n) result(s) bind(c)
  use iso_c_binding
  integer(c_size_t), value :: n
  real(c_double), intent(in) :: x(n)
  real(c_double) :: s
  real(8), allocatable :: a(:), b(:)
  integer :: t
  a = x
  do t = 1, 10
    b = a
    a = b
    a(t) = a(t) * 2
  end do
  s = a(1) * a(2) + sum(a)
end function
