# What the reference leaves out: comparisons and special members that say everything by themselves.
/(=|<=>)\(.*\) *(const)? *(noexcept)? *= *(default|delete);/s/^.*$//
/\) *(noexcept)? *= *(default|delete);/s/^.*$//
/^ *([A-Za-z]+& operator=|~?[A-Z][A-Za-z]*)\([A-Z]?[A-Za-z]*(&&)?\) *(noexcept)?;/{
  /&&|~|operator=/s/^.*$//
}
# Specializations for the standard library are described by it.
/^template <>$/s/^.*$//
/^struct std::[a-z_]+</,/^};/s/^.*$//
