//! Enums of tools.

/// Declares an enum of the tools of a toolset with the name of each, in the order in which they are listed. Which of
/// them a toolset has is its own `of`.
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
