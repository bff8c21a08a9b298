//! How large surfaces may be.

/// Limits of a surface. Bytes are those of the JSON, without white space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SurfaceLimits {
    /// Bytes of the state. Default 256 KiB.
    pub state_bytes: usize,
    /// How deep the state, an input and a result may be nested. Default 64.
    pub depth: usize,
    /// Bytes of a spec. Default 256 KiB.
    pub spec_bytes: usize,
    /// Actions of a spec. Default 256.
    pub actions: usize,
    /// Bindings of a spec. Default 1,024.
    pub bindings: usize,
    /// Refresh jobs of a spec. Default 32.
    pub jobs: usize,
    /// Bytes of the resolved arguments of a call. Default 256 KiB.
    pub argument_bytes: usize,
    /// Bytes of the input of an action. Default 16 KiB.
    pub input_bytes: usize,
    /// Bytes of a tool's result. Default 128 KiB.
    pub result_bytes: usize,
    /// Assets of a surface. Default 256.
    pub assets: usize,
    /// Bytes of one asset. Default 4 MiB.
    pub asset_bytes: usize,
    /// Bytes of all assets. Default 32 MiB.
    pub all_asset_bytes: usize,
    /// Actions that are under way at once. Default 16.
    pub claims: usize,
    /// Records of executed actions that are kept. Default 10,000.
    pub audit: u64,
}

impl SurfaceLimits {
    /// For what is stored already, and was within the limits when it came.
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
