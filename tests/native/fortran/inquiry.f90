! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Inquiries and bits: SHAPE, LBOUND, UBOUND, SIZE, ALLOCATED, TRANSFER, IAND, ISHFT.
module inquiry_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8), allocatable :: a(:, :)
    integer :: bounds(2), i
    integer(8) :: bits
    allocate (a(0:2, -1:1))
    bounds = shape(a)
    do i = lbound(a, 1), ubound(a, 1)
      a(i, :) = x(i + 1) * [1, 2, 3]
    end do
    bits = transfer(x(6), bits)
    s = sum(a ** 2) + sum(bounds) + size(a, 2) * x(4) + iand(13, 7) + ishft(1, 3) + transfer(bits, 1d0) * x(5)
    s = s + sum(transfer([x(1), x(2)], a(0, :)))
  end function
end module
