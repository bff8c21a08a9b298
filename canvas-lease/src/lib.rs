//! Who may touch a canvas and until when: an exclusive lease with fence and epoch, as pure values.
