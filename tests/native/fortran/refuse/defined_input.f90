! at: 0.5,0.9
! message: defined_input.f90:[0-9]+: an unformatted statement with defined input or output
module defined_input_test
  type pair
    real(8) :: a, b
  contains
    procedure :: put
    generic :: write (unformatted) => put
  end type
contains
  subroutine put(this, unit, status, text)
    class(pair), intent(in) :: this
    integer, intent(in) :: unit
    integer, intent(out) :: status
    character(*), intent(inout) :: text
    write (unit, iostat=status, iomsg=text) this%b, this%a
  end subroutine
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    type(pair) :: p
    p = pair(x(1), x(2))
    open (12, status='scratch', form='unformatted')
    write (12) p
    rewind (12)
    read (12) s
    close (12)
  end function
end module
