//! A macro that declares an enum together with the stable code of each variant.

/// Declares an enum with the code of each variant. If the enum is serialized, `rename_all` gives the same names.
#[doc(hidden)]
#[macro_export]
macro_rules! coded {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $code:literal,)+
        }
    ) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $(#[$meta])*
        pub enum $name {
            $($(#[$variant_meta])* $variant,)+
        }

        impl $name {
            /// Every value, for tables in documents and tests.
            pub const ALL: [Self; [$($code),+].len()] = [$(Self::$variant),+];

            /// Returns the stable upper-case code.
            pub const fn code(self) -> &'static str {
                match self {
                    $(Self::$variant => $code,)+
                }
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(self.code())
            }
        }
    };
}
