//! Templates that may not be saved, each with its remedy.

use canvas_core::surface::SurfaceCode;
use serde_json::json;

use crate::surface::world::template;

/// Rows of sink, template and message.
const TABLE: &str = include_str!("refused.json");

#[test]
fn refused_templates_name_the_place_and_a_remedy() {
    let rows: Vec<[String; 3]> = serde_json::from_str(TABLE).unwrap();
    let mut wrong = Vec::new();
    for [sink, text, expected] in &rows {
        let found = match template(sink, text) {
            Ok(_) => "accepted".to_owned(),
            Err(faults) => {
                let places: Vec<_> = faults.iter().map(|fault| (fault.place.as_str(), fault.code)).collect();
                assert_eq!(places, [("/args", SurfaceCode::TemplateSinkForbidden)], "{text}");
                faults[0].message.clone()
            }
        };
        if found != *expected {
            wrong.push(json!([sink, text, found]).to_string());
        }
    }
    assert!(wrong.is_empty(), "{} of {} rows differ:\n{}", wrong.len(), rows.len(), wrong.join(",\n"));
}
