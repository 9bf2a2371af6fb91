! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Output to a file and within a function of an output list; it is written once.
module output_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    integer :: unit, i, lines, status
    character(80) :: line
    open (newunit=unit, status='scratch', action='readwrite')
    s = 0
    do i = 1, int(n)
      s = s + x(i) ** 2
      write (unit, '(a, f10.4, i4)') 'sum', s, i
      write (unit, *) twice(x(i)), [1, 2, 3]
    end do
    rewind (unit)
    lines = 0
    do
      read (unit, '(a)', iostat=status) line
      if (status /= 0) exit
      lines = lines + 1
    end do
    close (unit)
    s = s * lines
  end function
  function twice(v)
    real(8), intent(in) :: v
    real(8) :: twice
    character(12) :: text
    write (text, '(f12.6)') v
    read (text, *) twice
    twice = twice * 2
  end function
end module
