//! Codes of errors, each declared once, beside the cases that have it. The family shares these two macros.

/// Declares an enum with the code of each variant. Where it is JSON, `rename_all` gives the same names.
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

/// Gives an error its `code` and `retryable`: one of all its cases, or a row `pattern => code;` a case. Without
/// `pattern => code, retryable;` a retry is of no use.
#[doc(hidden)]
#[macro_export]
macro_rules! coded_error {
    ($error:ty => $code:expr) => {
        impl $error {
            /// The code of every such error.
            pub const CODE: &'static str = $code;
        }

        $crate::coded_error!($error { _ => Self::CODE; });
    };
    ($error:ty { $($rows:tt)+ }) => {
        $crate::coded_error!($error as &'static str { $($rows)+ });
    };
    ($error:ty as $type:ty { $($(#[$cfg:meta])* $case:pat => $code:expr $(, $retryable:expr)?;)+ }) => {
        impl $error {
            /// The stable upper-case code.
            pub fn code(&self) -> $type {
                self.code_and_retry().0
            }

            /// Whether the very same request can succeed later.
            pub fn retryable(&self) -> bool {
                self.code_and_retry().1
            }

            fn code_and_retry(&self) -> ($type, bool) {
                match self {
                    $($(#[$cfg])* $case => ($code, [$($retryable,)? false][0]),)+
                }
            }
        }
    };
}
