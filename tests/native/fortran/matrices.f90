! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! intrinsics matmul, dot_product, sum(dim), maxval, reshape, spread, norm2, product, minval, cshift, merge, pack
module m
  use iso_c_binding
  implicit none
contains
  function f(x, n) result(s) bind(C, name="f")
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(n,n), y(n)
    a = spread(x, 2, int(n)) * spread(x, 1, int(n)) + 0.1d0
    y = matmul(a, x)
    s = dot_product(y, x) + norm2(y) 
  end function
end module
