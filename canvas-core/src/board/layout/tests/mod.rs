mod hostile;
mod laws;
mod model;
mod shifting;
mod workloads;
