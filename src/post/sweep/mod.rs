//! A parameter study: which runs it consists of, and what their results say in tables, charts, maps and sensitivities.

mod axis;
mod charts;
mod design;
mod map;
mod row;
mod sample;
mod sensitivity;
mod table;

pub use axis::{Axis, Interval};
pub use charts::charts;
pub use design::{Choice, Combination, Design, MOST_RUNS, fingerprint, share};
pub use map::maps;
pub use row::{OUTDATED, Row, Standing, measures, standing};
pub use sample::{Sampling, places};
pub use sensitivity::{Sensitivity, first_order, power_law, sensitivities, sensitivity_csv, sensitivity_table};
pub use table::{costs, csv, table};
