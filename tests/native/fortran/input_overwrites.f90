! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Numbers that are read, also into a section with gaps, have no derivatives.
module input_overwrites_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(6), b(2, 3)
    complex(8) :: z
    real(4) :: r
    integer :: unit, k
    logical :: l
    a = x(1:6)
    b = reshape(x(1:6), [2, 3])
    z = cmplx(x(1), x(2), 8)
    r = real(x(3), 4)
    open (newunit=unit, status='scratch', form='formatted')
    write (unit, *) 2, .true.
    write (unit, *) 1.5, 2.5, 3.5
    write (unit, *) 4.5, 5.5, 6.5, (1.0, 2.0), 7.5
    rewind (unit)
    read (unit, *) k, l
    read (unit, *) a(1:5:2)
    read (unit, *) b(2, :), z, r
    close (unit)
    s = sum(a * x(1:6)) + sum(b * b) + abs(z) * x(1) + r * x(2) + k
  end function
end module
