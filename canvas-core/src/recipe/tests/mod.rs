mod canvas_data;
mod compile;
mod drift;
mod laws;
mod outcome;
mod parameters;
