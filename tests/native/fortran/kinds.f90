! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! real(4), real(10), integers of all kinds, conversions.
module kinds_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(10) :: e
    real(4) :: r
    integer(1) :: i1
    integer(2) :: i2
    integer(8) :: i8
    e = x(1)
    e = (e + 2) / (1 + e * x(2)) + e * e * e
    r = real(x(3), 4)
    i1 = int(x(6) * 10 + 0.3d0, 1)
    i2 = nint(x(5) * 100, 2)
    i8 = ceiling(x(4), 8) + floor(x(2), 8)
    s = real(e, 8) + i1 * x(1) + i2 * x(2) ** 2 + i8 * x(3) + exponent(x(2)) + 0 * r
  end function
end module
