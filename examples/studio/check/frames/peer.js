// Loaded by a frame within a hostile frame: what connects past every policy, where it is there.
parent.postMessage(typeof RTCPeerConnection === "undefined" ? "nothing" : "RTCPeerConnection is there", "*");
