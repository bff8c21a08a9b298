//! Limits on the size of surfaces.

/// Limits of a surface. Sizes are bytes of JSON without white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SurfaceLimits {
    /// Maximum size of the state. Default 256 KiB.
    pub state_bytes: usize,
    /// Maximum nesting of the state, an input and a result. Default 64.
    pub depth: usize,
    /// Maximum size of a spec. Default 256 KiB.
    pub spec_bytes: usize,
    /// Maximum number of actions in a spec. Default 256.
    pub actions: usize,
    /// Maximum number of bindings in a spec. Default 1,024.
    pub bindings: usize,
    /// Maximum number of refresh jobs in a spec. Default 32.
    pub jobs: usize,
    /// Maximum size of a call's resolved arguments. Default 256 KiB.
    pub argument_bytes: usize,
    /// Maximum size of an action's input. Default 16 KiB.
    pub input_bytes: usize,
    /// Maximum size of a tool's result. Default 128 KiB.
    pub result_bytes: usize,
    /// Maximum number of assets of a surface. Default 256.
    pub assets: usize,
    /// Maximum bytes of one asset. Default 4 MiB.
    pub asset_bytes: usize,
    /// Maximum bytes of all assets together. Default 32 MiB.
    pub all_asset_bytes: usize,
    /// Maximum number of actions under way at once. Default 16.
    pub claims: usize,
    /// Maximum number of kept records of executed actions. Default 10,000.
    pub audit: u64,
}

impl SurfaceLimits {
    /// For stored values, which were within the limits when they were accepted.
    pub(crate) const UNLIMITED: Self = {
        let most = usize::MAX;
        Self {
            state_bytes: most,
            depth: most,
            spec_bytes: most,
            actions: most,
            bindings: most,
            jobs: most,
            argument_bytes: most,
            input_bytes: most,
            result_bytes: most,
            assets: most,
            asset_bytes: most,
            all_asset_bytes: most,
            claims: most,
            audit: u64::MAX,
        }
    };
}

impl Default for SurfaceLimits {
    fn default() -> Self {
        Self {
            state_bytes: 256 << 10,
            depth: 64,
            spec_bytes: 256 << 10,
            actions: 256,
            bindings: 1_024,
            jobs: 32,
            argument_bytes: 256 << 10,
            input_bytes: 16 << 10,
            result_bytes: 128 << 10,
            assets: 256,
            asset_bytes: 4 << 20,
            all_asset_bytes: 32 << 20,
            claims: 16,
            audit: 10_000,
        }
    }
}
