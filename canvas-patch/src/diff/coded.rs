//! Enums whose variants have a stable code.

/// Declares an enum with the code of each variant, which is also its name in JSON.
macro_rules! coded {
    (
        $(#[$meta:meta])*
        pub enum $name:ident {
            $($(#[$variant_meta:meta])* $variant:ident = $code:literal,)+
        }
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub enum $name {
            $($(#[$variant_meta])* #[cfg_attr(feature = "serde", serde(rename = $code))] $variant,)+
        }

        impl $name {
            /// Every value, for tables in documents and tests.
            pub const ALL: [Self; [$($code),+].len()] = [$(Self::$variant),+];

            /// The stable upper-case code.
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

pub(crate) use coded;
