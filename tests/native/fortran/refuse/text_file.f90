! at: 0.5,0.9
! message: text_file.f90:15: READ of numbers from unit 1?[0-9]* as text, which this run has written
module text_file_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    integer :: unit, k
    unit = 11
    open (unit, status='scratch', action='readwrite')
    write (unit, '(i4, 2es24.16)') 3, x(1:2)
    rewind (unit)
    read (unit, *) k, s
    close (unit)
    s = s * x(1)
  end function
end module
