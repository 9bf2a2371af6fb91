! at: 0.5,0.9,-0.3
! Statements in procedures that are declared inactive: text that is read again, numbers without derivatives, and numbers
! of a file that such a procedure overwrites.
module inactive_files_test
  implicit none
  !verso$ inactive through_text, overwrite
contains
  function through_text(v) result(r)
    real(8), intent(in) :: v
    real(8) :: r
    open (31, status='scratch', action='readwrite')
    write (31, *) v
    rewind (31)
    read (31, *) r
    close (31)
  end function
  subroutine overwrite(unit, v)
    integer, intent(in) :: unit
    real(8), intent(in) :: v
    rewind (unit)
    write (unit) v, v
  end subroutine
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s, a, b
    s = through_text(2.5d0) * x(1) ** 2
    open (32, status='scratch', form='unformatted')
    write (32) x(1), x(2)
    rewind (32)
    read (32) a, b
    s = s + a * b
    call overwrite(32, 4d0)
    rewind (32)
    read (32) a, b
    s = s + a * b * x(3) ** 2
    close (32)
  end function
end module
