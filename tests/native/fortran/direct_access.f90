! at: 0.5,0.9,-0.3,0.7
! Unformatted input and output: direct access, streams, sequential records. What is read here does not depend on x.
module direct_access_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a(4), b(2, 2), constants(4)
    integer :: unit, i, k
    logical :: there
    constants = [1d0, 2d0, 3d0, 4d0]
    a = x(1:4)
    b = reshape(x(1:4), [2, 2])
    open (newunit=unit, access='direct', form='unformatted', recl=32, status='scratch')
    do i = 1, 3
      write (unit, rec=i) constants * i
    end do
    read (unit, rec=2) a(4:1:-1)
    close (unit)
    s = sum(a * x(1:4))
    open (newunit=unit, access='stream', form='unformatted', status='scratch')
    write (unit) 7, constants(1:2), .true.
    read (unit, pos=1) k, b(1, :)
    inquire (unit=unit, pos=i, opened=there)
    close (unit)
    s = s + sum(b * b) * k + i + merge(1, 0, there)
    open (newunit=unit, form='unformatted', status='scratch')
    do i = 1, 3
      write (unit) i, constants(i)
    end do
    backspace (unit)
    read (unit) k, a(1)
    rewind (unit)
    read (unit)
    read (unit) k, a(2)
    close (unit)
    s = s + a(1) * x(1) ** 2 + a(2) * x(2) ** 3 + k
  end function
end module
