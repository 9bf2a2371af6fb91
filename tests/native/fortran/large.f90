! at: random:60:-1:1
! Loops over arrays that are long enough for copies and vectors.
! cuts: 40
module large_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(60), b(60), c(60, 60)
    integer :: i, j, t
    a = x(1:60)
    do j = 1, 60
      do i = 1, 60
        c(i, j) = cos(0.1d0 * i * j)
      end do
    end do
    do t = 1, 4
      b = matmul(c, a) / 30
      a = a + 0.1d0 * b * (1 - a ** 2)
      a(2:59) = 0.25d0 * a(1:58) + 0.5d0 * a(2:59) + 0.25d0 * a(3:60)
    end do
    s = dot_product(a, b) + norm2(a)
  end function
end module
