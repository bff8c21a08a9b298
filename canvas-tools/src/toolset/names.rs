//! Enums of tools.

/// Declares an enum of tools with the name of each, in the order in which they are listed.
macro_rules! tools {
    ($(#[$meta:meta])* $vis:vis enum $tool:ident { $($variant:ident = $name:expr,)+ }) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        $vis enum $tool {
            $($variant,)+
        }

        impl $tool {
            const ALL: [Self; [$($name),+].len()] = [$(Self::$variant),+];

            pub(super) const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }
    };
}

pub(super) use tools;
