//! A macro for the enums of tools.

/// Declares an enum of a toolset's tools with their names, in the order of listing. The enum's own `of` selects the
/// tools that a given toolset has.
macro_rules! tools {
    ($(#[$meta:meta])* $vis:vis enum $tool:ident of $toolset:ty { $($variant:ident = $name:expr,)+ }) => {
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

            pub(super) fn named(name: &str, toolset: $toolset) -> Result<Self, $crate::reply::ToolError> {
                let found = Self::of(toolset).find(|tool| tool.name() == name);
                found.ok_or_else(|| {
                    $crate::reply::ToolError::unknown_tool(name, Self::of(toolset).map(Self::name))
                })
            }
        }
    };
}

pub(super) use tools;
