! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! MATMUL of matrices and vectors, of a transposed matrix, of sections, of other kinds.
! noise: 1e-10
module matmul_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(4, 3), b(3, 5), c(4, 5), v(3), w(4)
    real(4) :: r(3)
    complex(8) :: z(3, 3), y(3)
    integer :: i, j, k(3, 3)
    do j = 1, 3
      do i = 1, 4
        a(i, j) = x(mod(i + j, 6) + 1) * i
        k(mod(i, 3) + 1, j) = i - j
      end do
      b(j, :) = x(2:6) * j
      v(j) = x(j) ** 2
    end do
    c = matmul(a, b)
    w = matmul(a, v) + matmul(v, transpose(a))
    v(1:2) = matmul(a(1:4:3, :), v)
    v = matmul(transpose(a), w) - matmul(k, v)
    b(:, 1:3) = matmul(transpose(a), a)
    z = cmplx(b(:, 1:3), b(:, 2:4), 8)
    y = matmul(z, v)
    r = matmul(real(b(:, 1:3), 4), real(v, 4))
    s = sum(c) + sum(w * w) * 0.01d0 + sum(v) + sum(abs(y)) * 0.1d0 + sum(b) + 0 * sum(r)
  end function
end module
