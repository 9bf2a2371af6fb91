; What front ends other than clang's write, and clang does not: a linkonce constant that only calls use, a call without
; a line in a function with lines, a call that expects an empty structure of a function that returns nothing.
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@weights = linkonce constant [2 x double] [double 3.0, double 4.0]

declare double @weigh(ptr, double)
declare {} @raise(ptr)

define double @part(double %v, double %w) !dbg !4 {
  %slot = alloca double
  store double %v, ptr %slot, !dbg !7
  %none = call {} @raise(ptr %slot)
  %raised = load double, ptr %slot, !dbg !7
  %weighed = call double @weigh(ptr @weights, double %w)
  %product = fmul double %raised, %weighed, !dbg !7
  ret double %product, !dbg !7
}

!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2, !3}
!0 = distinct !DICompileUnit(language: DW_LANG_C99, file: !1, isOptimized: true, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "part.f90", directory: "/")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!3 = !{i32 7, !"Dwarf Version", i32 4}
!4 = distinct !DISubprogram(name: "part", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !6)
!6 = !{}
!7 = !DILocation(line: 2, scope: !4)
