! at: 0.5,0.9,-0.3,0.7,0.2,1.1
! Characters of deferred length, TRIM, concatenation, internal reads and writes.
module characters_test
contains
  function f(x, n) result(s) bind(c)
    use iso_c_binding
    integer(c_size_t), value :: n
    real(c_double), intent(in) :: x(n)
    real(c_double) :: s
    character(:), allocatable :: name, more
    character(20) :: buffer
    character(4) :: names(3)
    real(8) :: scale
    integer :: i
    name = 'al' // 'pha'
    more = trim(name // '   ') // repeat('x', 2)
    write (buffer, '(f8.3)') 2.5d0
    read (buffer, *) scale
    names = ['a   ', 'bcd ', 'ef  ']
    write (buffer, *) len(more)
    read (buffer, *) i
    s = scale * x(1) ** 2 + len(more) * x(2) + i
    do i = 1, 3
      if (trim(names(i)) == 'bcd') s = s + x(3) ** 2
      s = s + len_trim(names(i)) * x(3 + i) + index(name, 'ph') + scan(more, 'x')
    end do
    if (adjustl('  ' // name) == name // '  ') s = s * x(1)
    select case (name)
    case ('alpha')
      s = s + x(2)
    end select
  end function
end module
