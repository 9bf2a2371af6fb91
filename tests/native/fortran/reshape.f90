! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! RESHAPE with PAD and ORDER, TRANSPOSE, SPREAD, PACK, UNPACK, MERGE.
module reshape_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(2, 3), b(3, 4), c(3, 2), d(2, 3, 2), p(6)
    real(8), allocatable :: q(:)
    a = reshape(x(1:6), [2, 3])
    b = reshape(x(1:6), [3, 4], pad=x(1:2) ** 2, order=[2, 1])
    c = transpose(a) * 2
    d = spread(a * a, 3, 2) + spread(spread(x(1:2), 2, 3), 3, 2)
    q = pack(b, b > 0.4d0)
    p = pack(a, a > 0, vector=x(1:6) * 7)
    a = unpack(q, a > 0.3d0, a * 10) + merge(a, -a, a > 0.6d0)
    s = sum(a * a) + sum(b(:, 2) * b(:, 3)) + sum(c) + sum(d) + sum(q ** 3) + sum(p)
  end function
end module
