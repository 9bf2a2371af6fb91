! at: 0.5,0.9,-0.3,0.7
! real(10), conversions between kinds, complex functions, and mixed arithmetic.
module extended_test
  implicit none
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(10) :: wide, sums(4)
    complex(8) :: z, w(3)
    integer :: i
    wide = 0
    do i = 1, 4
      wide = wide + real(x(i), 10) * x(5 - i) / i
      sums(i) = wide
    end do
    s = real(wide * sums(2) + abs(sums(3)) + sums(1) / (sums(2) * sums(2) + 1), 8)
    z = cmplx(x(1), x(2), kind=8)
    w = [exp(z), sqrt(z) * conjg(z), z ** 3 / (1 + z)]
    s = s + real(sum(w)) * aimag(w(2)) + abs(w(3)) + real(dot_product(w, w(3:1:-1)))
    z = log(z) + sin(z) * cos(w(1)) + z ** cmplx(x(3), 0.5d0, 8)
    s = s + real(z) - aimag(z) * 2 + atan2(x(1), x(4)) + hypot(x(2), x(3))
  end function
end module
