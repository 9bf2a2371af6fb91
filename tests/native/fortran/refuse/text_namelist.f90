! at: 0.5,0.9
! message: text_namelist.f90:17: READ of numbers from unit 12 as text
module text_namelist_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    real(8) :: a, b
    namelist /numbers/ a, b
    a = x(1)
    b = x(2)
    open (12, status='scratch', action='readwrite')
    write (12, nml=numbers)
    rewind (12)
    read (12, nml=numbers)
    close (12)
    s = a * b
  end function
end module
