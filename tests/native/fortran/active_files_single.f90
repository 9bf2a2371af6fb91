! at: 0.5,0.9,-0.3,0.7
! noise: 1e-6
! Default reals and complex numbers through files, among double ones.
module active_files_single_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real :: a(4), b(2), c
    complex :: z
    integer :: unit
    a = real(x(1:4))
    open (newunit=unit, form='unformatted', status='scratch')
    write (unit) a, x(1), cmplx(a(1), a(2))
    write (unit) 2, a(4:1:-2), x(2)
    rewind (unit)
    a = 0
    read (unit) b, a(1), c, s, z
    s = s * b(1) * b(2) + c * a(1) + abs(z) ** 2
    read (unit) a(2), b
    s = s + b(1) * 3 + b(2) ** 2
    close (unit)
  end function
end module
